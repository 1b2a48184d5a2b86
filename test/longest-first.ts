/** Which test files begin first: one that waits for a minute must not be the last, with the machine idle beside it. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The longest of each project, about longest first. Vitest knows their sizes alone, and some of these are small. Of those that
 * begin together, one waits.
 */
const LONG = [
  'test/origin/hostile/hostile.test.ts',
  'test/origin/credits/simulation/simulation.test.ts',
  'test/origin/accounts/writer-processes.test.ts',
  'test/origin/accounts/writer-chain.test.ts',
  'test/origin/credits/property.test.ts',
  'test/origin/ethers/published/vectors.test.ts',
  'test/origin/contracts/access.test.ts',
  'test/origin/accounts/read-lease.test.ts',
  'test/origin/http/floods.test.ts',
  'test/origin/http/body-room.test.ts',
  'test/origin/http/any-input.test.ts',
  'test/browser/walks.test.ts',
  'test/system/two-origins-crash.test.ts',
  'test/system/random-kills.test.ts',
  'test/system/docs.test.ts',
  'test/system/chain-state.test.ts',
  'test/system/forged-flood.test.ts',
  'test/system/start.test.ts',
  'test/system/conformance.test.ts',
  'test/system/client.test.ts',
  'test/system/front.test.ts',
  'test/system/long-run.test.ts',
  'test/system/two-origins.test.ts',
  'test/system/crash.test.ts',
  'test/system/chain-events.test.ts',
]

const placeOf = ({ moduleId }: TestSpecification) => {
  const place = LONG.findIndex((file) => moduleId.endsWith(`/${file}`))
  return place === -1 ? LONG.length : place
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Vitest's own order within a group, but for these.
    // oxlint-disable-next-line unicorn/no-array-sort -- a sequencer's, not an array's: it waits for the sizes
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => groupOf(a) - groupOf(b) || placeOf(a) - placeOf(b))
  }
}

const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder
