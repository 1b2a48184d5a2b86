import { createRequire } from 'node:module'

/** The module that this one's text stands for. */
export const NAME_TABLES = '@ethersproject/hash/lib.esm/ens-normalize/include.js'

const RADIX = 36

type Next = () => number | undefined
type Decoder = {
  read_member_array(next: Next): number[]
  read_mapped_map(next: Next): Record<number, number[]>
}

/**
 * The tables of names are published under an arithmetic code, and the sandbox takes 130 ms to undo it and to build
 * them. The bundle has what comes of it, as the package's own decoder reads it: the numbers of the code, and for the
 * largest table, the replacements, its JSON.
 */
export function nameTables(): string {
  const require = createRequire(import.meta.url)
  const hash = createRequire(require.resolve('ethers-v5')).resolve('@ethersproject/hash')
  const part = createRequire(hash)
  const published = part('./ens-normalize/include.js') as { getData(): Next }
  const decoder = part('./ens-normalize/decoder.js') as Decoder
  const next = published.getData()
  const numbers: number[] = []
  const noted = () => {
    const number = next()
    if (number !== undefined) numbers.push(number)
    return number
  }
  decoder.read_member_array(noted)
  decoder.read_member_array(noted)
  const mapped = JSON.stringify(decoder.read_mapped_map(next))
  while (noted() !== undefined);
  return `export function getData() {
    const numbers = '${numbers.map((number) => number.toString(RADIX)).join(' ')}'.split(' ');
    let at = 0;
    return () => parseInt(numbers[at++], ${RADIX});
}
export function getMapped() {
    return JSON.parse('${mapped}');
}`
}
