import { type EventLayout, layoutOf } from './event-layout.ts'

type AbiInput = { type: string; indexed?: boolean; components?: AbiInput[] }
type AbiEntry = { type?: string; name?: string; inputs?: AbiInput[]; anonymous?: boolean }

/** Accepts a build artifact (`{abi: [...]}`) or a bare ABI; empty for other text. */
export function abiEvents(json: string): EventLayout[] {
  const abi = abiOf(json)
  return abi.flatMap((entry) => {
    if (entry?.type !== 'event' || entry.anonymous || !entry.name) return []
    const inputs = (entry.inputs ?? []).map((input) => ({
      type: typeText(input),
      indexed: input.indexed === true,
    }))
    return layoutOf(entry.name, inputs) ?? []
  })
}

function abiOf(json: string): AbiEntry[] {
  try {
    const parsed = JSON.parse(json) as { abi?: unknown }
    const abi = Array.isArray(parsed) ? parsed : parsed?.abi
    return Array.isArray(abi) ? (abi as AbiEntry[]) : []
  } catch {
    return []
  }
}

function typeText({ type, components }: AbiInput): string {
  if (!components) return type
  return `(${components.map(typeText).join(',')})${type.slice('tuple'.length)}`
}
