/** CSV tables that spreadsheets can open (RFC 4180). */

type Cell = string | number | null

/** `null` becomes an empty field. Lines end with CRLF (RFC 4180, 2.1). */
export function formatCsv(columns: readonly string[], records: readonly object[]): string {
  const lines = records.map((record) => columns.map((name) => Reflect.get(record, name) as Cell))
  return [columns, ...lines].map((cells) => `${cells.map(formatCell).join(',')}\r\n`).join('')
}

function formatCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = escapeFormula(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Prevents CSV injection: a leading apostrophe keeps spreadsheets from evaluating the text as a formula. */
function escapeFormula(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
}
