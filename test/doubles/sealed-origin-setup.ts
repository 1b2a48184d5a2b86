import { startSealedOrigin } from './sealed-origin.ts'
import { readEdgeTestEnvironment } from './edge-environment.ts'

/** The origin that the edge's tests talk to, as long as the project runs. */
export default async function setup(): Promise<() => Promise<void>> {
  const origin = await startSealedOrigin(readEdgeTestEnvironment())
  return () => origin.close()
}
