import { readEdgeTestEnvironment } from './edge-environment.ts'
import { forAllProjects } from './for-all-projects.ts'
import { startSealedOrigin } from './sealed-origin.ts'

/** The origin that the edge's tests talk to, as long as their projects run. */
export default function setup(): Promise<() => Promise<void>> {
  return forAllProjects('sealed-origin', async () => {
    const origin = await startSealedOrigin(readEdgeTestEnvironment())
    return () => origin.close()
  })
}
