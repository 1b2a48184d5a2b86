import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { appComposeText, variablesIn } from '../../../origin/deploy/app-compose.ts'

const composeText = readFileSync(
  new URL('../../../origin/deploy/docker-compose.yaml', import.meta.url),
  'utf8',
)
const appCompose = (text = composeText) =>
  JSON.parse(appComposeText(text)) as Record<string, unknown>

describe('the text that a dstack machine measures', () => {
  it('holds the compose file byte for byte, and is the same each time', () => {
    expect(appCompose()['docker_compose_file']).toBe(composeText)
    expect(appComposeText(composeText)).toBe(appComposeText(composeText))
  })

  it('says that this is production, in the measured text itself', () => {
    expect(composeText).toContain('- SVC_ENV=production\n')
    expect(composeText).toContain('- SVC_TEE=dstack\n')
  })

  it('names each image by its digest', () => {
    const images = [...composeText.matchAll(/^\s*image: (.+)$/gm)].map(([, image]) => image)
    expect(images).toHaveLength(2)
    for (const image of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/)
    expect(composeText).not.toMatch(/^\s*build:/m)
  })

  it('gives the guest agent’s socket to the origin alone', () => {
    const [origin = '', acme = ''] = composeText.split(/^ {2}acme:$/m)
    expect(origin).toContain('- /var/run/dstack.sock:/var/run/dstack.sock\n')
    expect(acme).not.toContain('dstack.sock')
  })

  it('takes from the unmeasured environment secrets alone, and nothing that says whom to believe', () => {
    const secrets = [
      'DATABASE_URL',
      'SVC_CHANNEL_PSK',
      'SVC_METRICS_TOKEN',
      'SVC_PROCESSOR_PUBLISHABLE_KEY',
      'SVC_PROCESSOR_SECRET_KEY',
      'SVC_PROCESSOR_WEBHOOK_SECRET',
    ]
    expect(appCompose()['allowed_envs']).toEqual(secrets)
  })

  it('does not take the shell’s own variables for secrets', () => {
    expect(variablesIn('a: ${B}\n# ${C}\nd: $$E $${F} $G\n  - H\n  - I=1\n')).toEqual([
      'B',
      'G',
      'H',
    ])
  })

  it('shows no logs, ends TLS nowhere else, and has its keys from the KMS', () => {
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
