import { fileURLToPath } from 'node:url'
import { PROCESSOR_WEBHOOK_PATH } from '../../shared/wire/core-routes.ts'
import { Child } from './child.ts'

/** The test double of the payment processor: no part of the service, so that it is started by its path alone. */
const DOUBLE = fileURLToPath(new URL('../../test/doubles/processor/main.ts', import.meta.url))

type Ready = {
  url: string
  webhookSecret: string
  /** The origin's, to be paid through it. */
  settings: Record<string, string>
}

/** A payment processor for the demo, which takes play money. @throws {ChildFailed} */
export async function startDemoProcessor(onLine: (line: string) => void) {
  const child = new Child({
    name: 'processor',
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', DOUBLE],
    env: { PATH: process.env['PATH'] },
    ipc: true,
    stopSignal: 'SIGTERM',
    onLine,
    started: () => {},
  })
  const { url, webhookSecret, settings } = await child.message<Ready>()
  return {
    url,
    settings,
    /** Its events go to the core API there. */
    sendWebhooks: async (coreUrl: string) => {
      const endpoint = { url: coreUrl + PROCESSOR_WEBHOOK_PATH, secret: webhookSecret }
      const body = JSON.stringify(endpoint)
      const response = await fetch(`${url}/test/send_webhooks`, { method: 'POST', body })
      if (!response.ok) throw new Error(`the processor answered ${response.status}`)
    },
    stop: () => child.stop(),
  }
}
