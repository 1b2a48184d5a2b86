import { readEdgeTestEnvironment } from './edge-environment.ts'
import { forAllProjects } from './for-all-projects.ts'
import { startSealedOrigin } from './sealed-origin.ts'

/** Origin double for the edge tests, shared by all projects. */
export default function setup(): Promise<() => Promise<void>> {
  return forAllProjects('sealed-origin', async () => {
    const origin = await startSealedOrigin(readEdgeTestEnvironment())
    return () => origin.close()
  })
}
