/** Which test files begin first: one that waits for a minute must not be the last, with the machine idle beside it. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The longest of the project `system`, about longest first. Vitest knows their sizes alone, and some of these are small.
 * Of those that begin together, one waits.
 */
const LONG = [
  'test/system/two-origins-crash.test.ts',
  'test/system/random-kills.test.ts',
  'test/system/forged-flood.test.ts',
  'test/system/chain-state.test.ts',
  'test/system/front.test.ts',
  'test/system/client.test.ts',
  'test/system/start.test.ts',
  'test/system/crash.test.ts',
  'test/system/chain-events.test.ts',
  'test/system/two-origins.test.ts',
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
