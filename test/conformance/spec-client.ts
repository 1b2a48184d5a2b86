/**
 * A client written from the two specifications alone, and the journeys that hold a stack to them.
 * It imports nothing of ours: `fetch`, `node:crypto` and ethers are all that an outsider has.
 */
export { ALL_AREAS, AREAS, SERVED, type Area } from './areas.ts'
export { SpecClient, type SpecClientOptions } from './spec-client/client.ts'
export { SpecError, SpecViolation } from './spec-client/http.ts'
export { journeys, runJourneys, type JourneyResult } from './spec-client/run-journeys.ts'
export { whyOpen, World, type Journey, type Tools } from './spec-client/world.ts'
