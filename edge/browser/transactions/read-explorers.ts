import type { Explorers } from '../../../shared/wire/public-chains.ts'

/** Reads the explorers that the Worker's `ExplorerData` renders. */
export function readExplorers(): Explorers {
  const element = document.getElementById('explorers')
  return element instanceof HTMLDataElement ? (JSON.parse(element.value) as Explorers) : {}
}
