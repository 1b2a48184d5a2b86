import { fileURLToPath } from 'node:url'
import { PROCESSOR_WEBHOOK_PATH } from '../../shared/wire/core-routes.ts'
import { Child } from './child.ts'

/**
 * Entry point of the payment processor's test double. It is not part of the service, so it is started as a process
 * instead of being imported.
 */
const DOUBLE = fileURLToPath(new URL('../../test/doubles/processor/main.ts', import.meta.url))

type Ready = {
  url: string
  webhookSecret: string
  settings: Record<string, string>
}

/** @throws {ChildFailedError} */
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
  const { url, webhookSecret, settings } = await child.waitForReady<Ready>()
  return {
    url,
    settings,
    sendWebhooks: async (coreUrl: string) => {
      const endpoint = { url: coreUrl + PROCESSOR_WEBHOOK_PATH, secret: webhookSecret }
      const body = JSON.stringify(endpoint)
      const response = await fetch(`${url}/test/send_webhooks`, { method: 'POST', body })
      if (!response.ok) throw new Error(`the processor responded with status ${response.status}`)
    },
    stop: () => child.stop(),
  }
}
