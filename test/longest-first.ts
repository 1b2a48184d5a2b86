/** The order in which test files begin. One that takes minutes must not begin last, when nothing is left to run beside it. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Projects that begin before the others: they have the longest files. The many short files of `edge` fill the end. */
const FIRST = ['system', 'origin']

/** The files that take more than 15 s, longest first. Vitest only knows the size of a file, and some of these are small. */
const LONG = [
  'test/browser/walks.test.ts',
  'test/system/chain-state.test.ts',
  'test/system/docs.test.ts',
  'test/system/packages.test.ts',
  'test/system/project.test.ts',
  'test/system/start.test.ts',
  'test/system/two-origins.test.ts',
  'test/system/two-origins-crash.test.ts',
  'test/system/conformance.test.ts',
  'test/system/forged-flood.test.ts',
  'test/system/cli.test.ts',
  'test/system/staging.test.ts',
  'test/system/wrangler-dev.test.ts',
  'test/system/front.test.ts',
  'test/system/long-run.test.ts',
  'test/system/client.test.ts',
  'test/system/deploy.test.ts',
  'test/system/random-kills.test.ts',
  'test/system/chain-events.test.ts',
  'test/system/triggers-bytes.test.ts',
  'test/system/triggers-index.test.ts',
  'test/system/rolling-upgrade.test.ts',
  'test/system/drain.test.ts',
  'test/system/two-origins-drain.test.ts',
  'test/system/crash.test.ts',
  'test/system/schedule.test.ts',
  'test/origin/hostile/hostile.test.ts',
  'test/shared/build/determinism.test.ts',
  'test/origin/transactions/campaign/kills.test.ts',
  'test/origin/credits/simulation/simulation.test.ts',
  'test/origin/transactions/simulation/simulation.test.ts',
  'test/origin/transactions/nonce-drift.test.ts',
  'test/origin/accounts/writer-chain.test.ts',
  'test/origin/accounts/several-nodes.test.ts',
  'test/origin/accounts/several-nodes-writer.test.ts',
  'test/origin/accounts/writer-processes.test.ts',
  'test/origin/credits/property.test.ts',
  'test/origin/hostile/canary.test.ts',
  'test/origin/ethers/published/vectors.test.ts',
  'test/origin/contracts/access.test.ts',
  'test/origin/accounts/writer.test.ts',
  'test/origin/accounts/read-lease.test.ts',
  'test/origin/actions/pool.test.ts',
  'test/origin/http/several-nodes.test.ts',
  'test/origin/http/several-machines.test.ts',
  'test/origin/http/floods.test.ts',
  'test/origin/http/body-room.test.ts',
  'test/origin/http/failed-executions.test.ts',
  'test/origin/contracts/texts.test.ts',
  'test/origin/stack/slow-start.test.ts',
  'test/origin/accounts/writer-turns.test.ts',
  'test/origin/http/shedding.test.ts',
  'test/shared/client/sovereign.test.ts',
  'test/origin/http/any-input.test.ts',
  'test/origin/actions/policy-wallets.test.ts',
  'test/edge/schedule/zoned-years.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- Vitest's method, not the array's: it sorts by project and size
    const sorted = await super.sort(files)
    return sorted.toSorted(
      (a, b) =>
        placeIn(FIRST, a.project.name) - placeIn(FIRST, b.project.name) ||
        placeIn(LONG, pathOf(a)) - placeIn(LONG, pathOf(b)),
    )
  }
}

const pathOf = ({ project, moduleId }: TestSpecification) =>
  moduleId.slice(project.config.root.length + 1)

function placeIn(list: readonly string[], item: string): number {
  const place = list.indexOf(item)
  return place === -1 ? list.length : place
}
