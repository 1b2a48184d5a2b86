import { createRequire } from 'node:module'

export const NAME_TABLES = '@ethersproject/hash/lib.esm/ens-normalize/include.js'

const RADIX = 36

type Next = () => number | undefined
type Decoder = {
  read_member_array(next: Next): number[]
  read_mapped_map(next: Next): Record<number, number[]>
}

/**
 * Returns the source of a module with the decoded tables for ENS names. The published tables are compressed with an
 * arithmetic code; decoding them and building the tables would take 130 ms in the sandbox. The module contains the
 * decoded numbers, which the package's own decoder reads. It contains the largest table, the character replacements, as
 * JSON.
 */
export function nameTables(): string {
  const require = createRequire(import.meta.url)
  const hash = createRequire(require.resolve('ethers-v5')).resolve('@ethersproject/hash')
  const part = createRequire(hash)
  const published = part('./ens-normalize/include.js') as { getData(): Next }
  const decoder = part('./ens-normalize/decoder.js') as Decoder
  const next = published.getData()
  const numbers: number[] = []
  const recordNext = () => {
    const number = next()
    if (number !== undefined) numbers.push(number)
    return number
  }
  decoder.read_member_array(recordNext)
  decoder.read_member_array(recordNext)
  const mapped = JSON.stringify(decoder.read_mapped_map(next))
  while (recordNext() !== undefined);
  return `export function getData() {
    const numbers = '${numbers.map((number) => number.toString(RADIX)).join(' ')}'.split(' ');
    let at = 0;
    return () => parseInt(numbers[at++], ${RADIX});
}
export function getMapped() {
    return JSON.parse('${mapped}');
}`
}
