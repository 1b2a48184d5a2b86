/** Shortens an address, hash or CID. */
export function shortenId(text: string): string {
  return text.length <= 20 ? text : `${text.slice(0, 8)}…${text.slice(-6)}`
}
