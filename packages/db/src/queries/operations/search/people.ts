/** Searches for people and what each has once: users, Safes, IBANs. */
import { type SQL, sql } from "drizzle-orm";
import { searchMail, searchName, users } from "../../../schema/users/users.ts";
import { buildPattern, type Clue, type SearchKind } from "../../../searchRows.ts";
import { selectSubjects } from "./operations.ts";

/**
 * Ids of the first users that fulfil a condition, in no order.
 *
 * Postgres plans a materialized query as if all its rows were read, yet stops at the limit. So it neither scans
 * the table for a rare text that it takes for a frequent one, nor collects a million rows for a frequent one.
 */
const findUsersLike = (condition: SQL, limit: number): SQL => sql`
  with found as materialized (select ${users.id} from ${users} where ${condition}) select id from found limit ${limit}`;

/** Condition: a lower-case address begins with one text and ends with the other. */
const isAddressLike = (address: SQL, { prefix, suffix }: Extract<Clue, { by: "address" }>): SQL =>
  // "g" follows every digit. These operators are those of the index, which LIKE with a parameter does not use.
  sql`${address} ~>=~ ${prefix} and ${address} ~<~ ${`${prefix}g`} and right(${address}, ${suffix.length}::int) = ${suffix}`;

/** Characters of numbers that differ; those before them are of countries, networks and banks, the same for many people. */
const tailLength = 7;

/** A pattern of the last characters of a number: few rows have them, and they are looked through for the whole. */
const buildTailPattern = (text: string): string => buildPattern(text.slice(-tailLength));

const isLike = (text: SQL, pattern: string): SQL => sql`${text} like lower(${pattern})`;

/** Condition: a mail address holds the text before its `@`, or around it; or the name holds every word, if there are any. */
function hasPart({ text, words }: Extract<Clue, { by: "words" }>): SQL {
  const [local = "", domain] = text.split("@", 2);
  const part = buildPattern(local);
  // Before an "@" only the end of the local part can stand.
  if (domain !== undefined) return sql`${isLike(searchMail(users).local, part.slice(0, -1))} and ${hasDomain(text)}`;
  const isMail = isLike(searchMail(users).local, part);
  if (words.length === 0) return isMail;
  const isNamed = words.map((word) => isLike(searchName(users), buildPattern(word)));
  return sql`${isMail} or (${sql.join(isNamed, sql` and `)})`;
}

/** Condition: the domain of a mail address begins with the text, or with what stands behind the `@` of it. */
function hasDomain(text: string): SQL {
  const { domain } = searchMail(users);
  const prefix = text.slice(text.indexOf("@") + 1);
  // The last character of Unicode follows every other one.
  return sql`${domain} ~>=~ lower(${prefix}) and ${domain} ~<~ lower(${`${prefix}\u{10ffff}`})`;
}

function findUserIds(clue: Clue, limit: number): SQL | null {
  switch (clue.by) {
    case "id":
      return sql`select ${clue.text}`;
    case "address":
      return sql`select user_id from sign_in_wallets where ${isAddressLike(sql`lower(address)`, clue)} limit ${limit}`;
    case "words": {
      const found = sql`select id from users where lower(email) = lower(${clue.text})
        union (${findUsersLike(hasPart(clue), limit)})`;
      // In the order of the index, so that it is read and no further than to the limit.
      return clue.text.includes("@")
        ? found
        : sql`${found} union (select ${users.id} from ${users} where ${hasDomain(clue.text)}
            order by ${searchMail(users).domain} using ~<~ limit ${limit})`;
    }
    case "phone":
      return sql`with found as materialized (select id, phone from users where phone like ${buildTailPattern(clue.text)})
        select id from found where phone like ${buildPattern(clue.text)} limit ${limit}`;
    default:
      return null;
  }
}

export const searchedUsers: SearchKind = {
  findIds: findUserIds,
  columns: sql`u.id, u.email as title, nullif(concat_ws(' ', u.first_name, u.last_name), '') as detail, u.status,
    u.id as "userId", u.created_at as "createdAt"`,
  from: sql`users u`,
  id: sql`u.id`,
};

function findSafeIds(clue: Clue, limit: number): SQL | null {
  switch (clue.by) {
    case "id":
      return sql`select ${clue.text}`;
    case "request":
      return sql`select id from safes where request_id = ${clue.text} limit ${limit}`;
    case "address":
      return sql`select id from safes where ${isAddressLike(sql`lower(address)`, clue)} limit ${limit}`;
    case "hash":
      return selectSubjects(clue.text);
    default:
      return null;
  }
}

export const searchedSafes: SearchKind = {
  findIds: findSafeIds,
  columns: sql`s.id, s.address as title, s.token_symbol as detail, s.status, s.user_id as "userId",
    s.created_at as "createdAt"`,
  from: sql`safes s`,
  id: sql`s.id`,
};

/** By their users' ids, which are the keys. */
function findIbanIds(clue: Clue, limit: number): SQL | null {
  if (clue.by === "id") return sql`select user_id from ibans where id = ${clue.text}`;
  if (clue.by !== "iban") return null;
  return sql`with found as materialized (
      select user_id, iban from ibans where iban like ${buildTailPattern(clue.text)})
    select user_id from found where iban like ${buildPattern(clue.text)} limit ${limit}`;
}

export const searchedIbans: SearchKind = {
  findIds: findIbanIds,
  columns: sql`i.id, coalesce(i.iban, i.id) as title, null as detail, i.status, i.user_id as "userId",
    i.created_at as "createdAt"`,
  from: sql`ibans i`,
  id: sql`i.user_id`,
};
