/** Every event that OpenZeppelin's contracts declare, from the ABIs of the package. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const BUILT = fileURLToPath(
  new URL('../../../node_modules/@openzeppelin/contracts/build/contracts/', import.meta.url),
)

type AbiInput = { type: string; indexed?: boolean; components?: AbiInput[] }
type AbiEntry = { type: string; name: string; inputs: AbiInput[]; anonymous?: boolean }

/** As they would be written: `event Transfer(address indexed,address indexed,uint256)`, each once. */
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
