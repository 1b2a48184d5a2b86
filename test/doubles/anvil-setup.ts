import type { TestProject } from 'vitest/node'
import type { Provided } from '../edge/provided.d.ts'
import { startChain } from '../origin/chain.ts'

/** A real chain for tests in workerd, which cannot start processes. Mines a block only when a test requests it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chain = await startChain(['--no-mining'])
  const { anvil }: Pick<Provided, 'anvil'> = { anvil: chain.rpcUrl }
  project.provide('anvil', anvil)
  return () => chain.close()
}
