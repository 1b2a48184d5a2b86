const LIST = /(\$\d+|\?)(\s*,\s*(\$\d+|\?))+/g
const TUPLES = /(\((?:[^()]|\([^()]*\))*\))(\s*,\s*\1)+/g

/** Returns the same text for statements that differ only in their number of parameters or rows. */
export function commonForm(statement: string): string {
  return statement
    .replace(LIST, '?')
    .replace(/\$\d+/g, '?')
    .replace(TUPLES, '$1')
    .replace(/\s+/g, ' ')
}
