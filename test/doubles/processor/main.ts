/**
 * The double as a process of its own: tells where it listens and its keys by a message to its parent, or as a line of
 * JSON where there is none. Ends with its parent. `PROCESSOR_PORT` chooses the port.
 */
import { startProcessor } from './server.ts'

const { url, keys, webhookSecret, close } = await startProcessor({
  port: Number(process.env['PROCESSOR_PORT'] ?? 0),
})
const end = () => void close().then(() => process.exit(0))
process.on('SIGTERM', end).on('SIGINT', end)
process.once('disconnect', end)
const ready = { url, keys, webhookSecret }
if (process.send) process.send({ ready })
else console.log(JSON.stringify(ready))
