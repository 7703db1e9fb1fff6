-- mode: statements
alter table user_messages validate constraint user_messages_about;
