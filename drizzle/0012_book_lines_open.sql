-- mode: statements
create index concurrently if not exists "book_lines_open" on "book_lines" using btree ("account","posting_id") where split_part("book_lines"."account", ':', 1) in ('customer-debts', 'provisional-credits', 'payable');
