import { BODY_WITHIN_MS } from '../../../shared/limits.ts'
import { MeteredRequest } from './metered-request.ts'

/** Options of Node's HTTP server that protect it from the bodies of requests. */
export const BODY_SERVER_OPTIONS = {
  IncomingMessage: MeteredRequest,
  /** For a body that the app does not read. One that it reads has ended before, with a structured error. */
  requestTimeout: BODY_WITHIN_MS + 15_000,
}
