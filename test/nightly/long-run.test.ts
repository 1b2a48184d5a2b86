import { outlivesItsSender } from '../system/long-run.ts'

// Longer than an object stays in memory after its last request: only the object's own work keeps it there.
outlivesItsSender(120, { SVC_EXECUTION_WALL_MS: '180000' })
