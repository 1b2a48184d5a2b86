import { outlivesItsSender } from '../system/long-run.ts'

// Longer than an object stays in memory after its last request, so only its own work keeps it alive.
outlivesItsSender(120, { SVC_EXECUTION_WALL_MS: '180000' })
