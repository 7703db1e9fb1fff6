/**
 * Types of Postgres with their array types, by their oids. The driver writes and reads arrays of these types alone.
 *
 * Source: `pg_type.dat` of Postgres. The oids of its own types never change.
 */
export const arrayTypes: readonly (readonly [number, number])[] = [
  [16, 1000], // bool
  [17, 1001], // bytea
  [18, 1002], // "char"
  [19, 1003], // name
  [20, 1016], // int8
  [21, 1005], // int2
  [23, 1007], // int4
  [25, 1009], // text
  [26, 1028], // oid
  [114, 199], // json
  [700, 1021], // float4
  [701, 1022], // float8
  [869, 1041], // inet
  [1042, 1014], // bpchar
  [1043, 1015], // varchar
  [1082, 1182], // date
  [1114, 1115], // timestamp
  [1184, 1185], // timestamptz
  [1186, 1187], // interval
  [1700, 1231], // numeric
  [2950, 2951], // uuid
  [3802, 3807], // jsonb
];
