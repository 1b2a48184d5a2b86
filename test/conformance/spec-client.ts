/**
 * A client written only from the two specifications, and the journeys that check a stack against them. Imports none of
 * our code: only `fetch`, `node:crypto` and ethers, which an outsider has too.
 */
export { ALL_AREAS, AREAS, SERVED, type Area } from './areas.ts'
export { SpecClient, type SpecClientOptions } from './spec-client/client.ts'
export { SpecError, SpecViolation } from './spec-client/http.ts'
export { journeys, runJourneys, type JourneyResult } from './spec-client/run-journeys.ts'
export { whyOpen, World, type Journey, type Tools } from './spec-client/world.ts'
