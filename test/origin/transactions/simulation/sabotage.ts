/**
 * Defects injected into statements on their way to the database. The simulation must find them. `from` is slightly
 * below the first seed that finds the defect. After a change of the code, a later seed may be the first to find it.
 */
export const SABOTAGE: Record<string, { from: number; change: (text: string) => string }> = {
  'bytes are sent that are not stored': {
    from: 1,
    change: (text) =>
      text.replace(
        /(from v, verdict where) is_held and is_expected(?=\s+-- Signatures)/,
        '$1 false',
      ),
  },
  'earlier transactions that another process has added are overlooked': {
    from: 1,
    change: (text) => text.replace('and earlier.sequence <', 'and false and earlier.sequence <'),
  },
  'a transaction has ended as soon as it is mined': {
    from: 1,
    change: (text) =>
      text.replace('case when v.ended then', 'case when v.ended or v.mined_hash is not null then'),
  },
  'a process signs although it has lost its lane': {
    from: 70,
    change: (text) => text.replace('exists (select 1 from held) as is_held', 'true as is_held'),
  },
}
