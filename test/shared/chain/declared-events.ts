/** All events declared by OpenZeppelin's contracts, from the ABIs in the package. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const BUILT = fileURLToPath(
  new URL('../../../node_modules/@openzeppelin/contracts/build/contracts/', import.meta.url),
)

type AbiInput = { type: string; indexed?: boolean; components?: AbiInput[] }
type AbiEntry = { type: string; name: string; inputs: AbiInput[]; anonymous?: boolean }

/** Unique declarations, such as `event Transfer(address indexed,address indexed,uint256)`. */
export function openzeppelinEvents(): string[] {
  const files = readdirSync(BUILT).filter((file) => file.endsWith('.json'))
  const declared = files.flatMap((file) => {
    const { abi } = JSON.parse(readFileSync(BUILT + file, 'utf8')) as { abi: AbiEntry[] }
    return abi.filter((entry) => entry.type === 'event' && !entry.anonymous).map(declaration)
  })
  return [...new Set(declared)].toSorted()
}

function declaration({ name, inputs }: AbiEntry): string {
  const args = inputs.map((input) => `${typeText(input)}${input.indexed ? ' indexed' : ''}`)
  return `event ${name}(${args.join(',')})`
}

function typeText({ type, components }: AbiInput): string {
  if (!components) return type
  return `(${components.map(typeText).join(',')})${type.slice('tuple'.length)}`
}
