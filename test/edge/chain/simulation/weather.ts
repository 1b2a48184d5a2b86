/** What the endpoints of a seed do wrong, and for how long. */
import { BLOCKS_KEPT } from '../../../../shared/limits.ts'
import type { ChainNode } from '../../../doubles/chain-node/chain-node.ts'
import type { View } from '../../../doubles/chain-node/chain-view.ts'
import { type Faults, LOG_FAULTS, REQUEST_FAULTS } from '../../../doubles/chain-node/faults.ts'
import type { ScriptedChain } from '../../../doubles/chain-node/scripted-chain.ts'
import type { Random } from '../../../origin/credits/simulation/random.ts'

/** `hang` would need time to pass; `timeout` is the same at once. */
const REQUESTS = REQUEST_FAULTS.filter((fault) => fault !== 'hang')

/** As far as a node is behind: answers of a node that is further behind are found out in other ways. */
const LAG_MAX = 4

/** Blocks that are kept, less what a reorganisation may take: what is left out further down nobody finds. */
const NEAR_HEAD = BLOCKS_KEPT - 56

const PLANS = [
  {},
  {},
  { blocks: 5, words: 'quicknode' },
  { blocks: 10, words: 'alchemy' },
  { blocks: 500, logs: 20, words: 'infura' },
  { blocks: 10, words: 'none' },
  { batch: 1 },
] as const

/** What a provider is like for good. */
export function settle(node: ChainNode, random: Random): void {
  node.limits = { ...random.pick(PLANS) }
  node.tellsBlockTime = random.chance(0.5)
  node.leavesOutWithin = NEAR_HEAD
}

/** Something changes at one endpoint: a new fault, another view, or all is well again. */
export function changeWeather(node: ChainNode, chain: ScriptedChain, random: Random): string {
  const kind = random.pick(['well', 'request', 'request', 'logs', 'logs', 'views', 'views', 'down'])
  node.faults = {}
  node.views = [{ lag: 0 }]
  switch (kind) {
    case 'request': {
      const fault = random.pick(REQUESTS)
      node.faults = { [fault]: random.pick([0.2, 0.6]) } satisfies Faults
      return fault
    }
    case 'logs': {
      const fault = random.pick([
        ...LOG_FAULTS,
        'missingBlocks',
        'failedQuestion',
        'wrongChain',
      ] as const)
      node.faults = { [fault]: random.pick([0.3, 1]) } satisfies Faults
      return fault
    }
    case 'views':
      node.views = views(chain, random)
      return `views ${JSON.stringify(node.views)}`
    case 'down':
      node.faults = { refused: 1 }
      return 'down'
  }
  return 'well'
}

export function clear(node: ChainNode): void {
  node.faults = {}
  node.views = [{ lag: 0 }]
}

function views(chain: ScriptedChain, random: Random): View[] {
  const orphan = chain.orphans().at(0)
  return Array.from({ length: random.integer(1, 3) }, () =>
    orphan && random.chance(0.25)
      ? { fork: orphan.hash }
      : { lag: random.pick([0, 0, 1, 2, LAG_MAX]) },
  )
}
