/** An address, hash or CID among others: its two ends, by which one knows it again. */
export function folded(text: string): string {
  return text.length <= 20 ? text : `${text.slice(0, 8)}…${text.slice(-6)}`
}
