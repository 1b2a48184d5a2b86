import { EXECUTE_WAIT_MS, OUTCOMES_WAIT_MS } from '../../shared/limits.ts'
import { outlivesItsSender } from './long-run.ts'

// Past the first answer and one whole question after it: the object has to ask again.
outlivesItsSender((EXECUTE_WAIT_MS + OUTCOMES_WAIT_MS) / 1000 + 3)
