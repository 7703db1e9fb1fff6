-- mode: statements
create index concurrently if not exists "book_lines_reference" on "book_lines" using btree ("reference") where "book_lines"."reference" is not null;
