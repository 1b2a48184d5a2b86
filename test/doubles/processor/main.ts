/**
 * Runs the double as a separate process. Reports its URL and keys by a message to its parent, or as a line of JSON if
 * there is none. Exits with its parent. `PROCESSOR_PORT` sets the port.
 */
import { startProcessor } from './server.ts'

const { url, settings, webhookSecret, keys, close } = await startProcessor({
  port: Number(process.env['PROCESSOR_PORT'] ?? 0),
})
const end = () => void close().then(() => process.exit(0))
process.on('SIGTERM', end).on('SIGINT', end)
process.once('disconnect', end)
const ready = { url, keys, webhookSecret, settings }
if (process.send) process.send({ ready })
else console.log(JSON.stringify(ready))
