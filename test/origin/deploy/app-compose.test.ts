import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DRAIN_DEFAULT_MS } from '../../../origin/admission/drain.ts'
import { appComposeText, variablesIn } from '../../../origin/deploy/app-compose.ts'

const composeText = readFileSync(
  new URL('../../../origin/deploy/docker-compose.yaml', import.meta.url),
  'utf8',
)
const appCompose = (text = composeText) =>
  JSON.parse(appComposeText(text)) as Record<string, unknown>

describe('the app-compose text that a dstack machine measures', () => {
  it('contains the compose file byte for byte, and is deterministic', () => {
    expect(appCompose()['docker_compose_file']).toBe(composeText)
    expect(appComposeText(composeText)).toBe(appComposeText(composeText))
  })

  it('sets production mode within the measured text', () => {
    expect(composeText).toContain('- SVC_ENV=production\n')
    expect(composeText).toContain('- SVC_TEE=dstack\n')
  })

  it('names each image by its digest', () => {
    const images = [...composeText.matchAll(/^\s*image: (.+)$/gm)].map(([, image]) => image)
    expect(images).toHaveLength(1)
    for (const image of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/)
    expect(composeText).not.toMatch(/^\s*build:/m)
  })

  it('mounts the guest agent’s socket only in the origin, which is the only container', () => {
    const [, services = ''] = /^services:\n((?: .*\n|\n)+)/m.exec(composeText) ?? []
    expect([...services.matchAll(/^ {2}(\w+):$/gm)].map(([, name]) => name)).toEqual(['origin'])
    expect(services).toContain('- /var/run/dstack.sock:/var/run/dstack.sock\n')
  })

  it('measures the certificate authority, and answers its challenges', () => {
    expect(composeText).toContain(
      '- SVC_ACME_DIRECTORY=https://acme-v02.api.letsencrypt.org/directory\n',
    )
    const [, port] = /^ *- SVC_ACME_PORT=(\d+)$/m.exec(composeText) ?? []
    expect(composeText).toContain(`- '80:${port}'\n`)
  })

  it('gives the origin more time to stop than its drain takes', () => {
    const [, seconds] = /^\s*stop_grace_period: (\d+)s$/m.exec(composeText) ?? []
    expect(Number(seconds) * 1_000).toBeGreaterThan(DRAIN_DEFAULT_MS.production + 25_000)
  })

  it('takes from the unmeasured environment secrets alone, and nothing that affects trust', () => {
    const secrets = [
      'DATABASE_URL',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'SVC_CHANNEL_PSK',
      'SVC_LOG_SINK',
      'SVC_LOG_SINK_TOKEN',
      'SVC_METRICS_TOKEN',
      'SVC_PROCESSOR_PUBLISHABLE_KEY',
      'SVC_PROCESSOR_SECRET_KEY',
      'SVC_PROCESSOR_WEBHOOK_SECRET',
    ]
    expect(appCompose()['allowed_envs']).toEqual(secrets)
  })

  it('does not treat the shell’s own variables as secrets', () => {
    expect(variablesIn('a: ${B}\n# ${C}\nd: $$E $${F} $G\n  - H\n  - I=1\n')).toEqual([
      'B',
      'G',
      'H',
    ])
  })

  it('disables public logs and the gateway, and gets its keys from the KMS', () => {
    expect(appCompose()).toMatchObject({
      public_logs: false,
      gateway_enabled: false,
      kms_enabled: true,
      key_provider: 'kms',
      local_key_provider_enabled: false,
      secure_time: true,
    })
    expect(appCompose()).not.toHaveProperty('pre_launch_script')
  })
})
