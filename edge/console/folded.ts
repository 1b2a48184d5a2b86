/** Shortens an address, hash or CID. */
export function folded(text: string): string {
  return text.length <= 20 ? text : `${text.slice(0, 8)}…${text.slice(-6)}`
}
