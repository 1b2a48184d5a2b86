import { EXECUTE_WAIT_MS, OUTCOMES_WAIT_MS } from '../../shared/limits.ts'
import { outlivesItsSender } from './long-run.ts'

// Longer than the first response and one full poll, so the object has to poll again.
outlivesItsSender((EXECUTE_WAIT_MS + OUTCOMES_WAIT_MS) / 1000 + 3)
