/** Accepts any letter case. Undefined if the address is valid. */
export function contractAddressProblem(
  address: unknown,
): { problem: string; fix: string } | undefined {
  const fix = 'Send the contract’s address: 0x and 40 hex digits.'
  if (address === undefined) return { problem: 'required', fix }
  if (typeof address !== 'string') return { problem: 'expected a string', fix }
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return { problem: 'expected 0x and 40 hex digits', fix }
  if (/^0x0{40}$/.test(address)) return { problem: 'the zero address has no contract', fix }
}
