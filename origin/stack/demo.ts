/** Entry point of `npm run demo`. Performs the main use case over HTTP, on a stack in a temporary folder. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDemoProcessor } from './demo-processor.ts'
import { fundedWallets } from './funded-wallets.ts'
import { runJourney } from './journey.ts'
import { payAsClient } from './pay-as-client.ts'
import { Stack } from './stack.ts'
import { trustCa } from './trust-ca.ts'

const stateDir = mkdtempSync(join(tmpdir(), 'svc-demo-'))
const lines: string[] = []
let stack: Stack | undefined
let processor: Awaited<ReturnType<typeof startDemoProcessor>> | undefined
let failed = false

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void end().then(() => process.exit(130)))

let ending: Promise<void> | undefined
function end(): Promise<void> {
  ending ??= (async () => {
    await stack?.stop()
    await processor?.stop()
    rmSync(stateDir, { recursive: true, force: true })
  })()
  return ending
}

function show(step: string, result: string, milliseconds: number): void {
  console.log(`${step.padEnd(40)} ${`${milliseconds.toFixed(0)} ms`.padStart(8)}   ${result}`)
}

try {
  const environment = { SVC_EDGE_PORT: '0', SVC_ORIGIN_PORT: '0', SVC_CHAIN_PORT: '0' }
  const onLine = (component: string, line: string) => lines.push(`${component} | ${line}`)
  processor = await startDemoProcessor((line) => onLine('processor', line))
  const { url, settings: originSettings } = processor
  stack = await Stack.start({ stateDir, environment, originSettings, onLine, onWait: console.log })
  await processor.sendWebhooks(stack.triggersUrl)
  show('the stack is ready', stack.baseUrl, performance.now())
  trustCa(stack.caFile)
  await runJourney({
    baseUrl: stack.baseUrl,
    triggersUrl: stack.triggersUrl,
    pay: (intent) => payAsClient({ url, ...intent }),
    wallet: fundedWallets(stack.chainUrl).wallet,
    onStep: show,
  })
  console.log(`\ndone in ${(performance.now() / 1000).toFixed(1)} s`)
} catch (error) {
  failed = true
  console.error(`\nfailed: ${error instanceof Error ? error.message : String(error)}`)
  console.error(lines.slice(-40).join('\n'))
}
await end()
process.exit(failed ? 1 : 0)
