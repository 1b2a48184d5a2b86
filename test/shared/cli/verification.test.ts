import { expect, it } from 'vitest'
import { verificationFor } from '../../../shared/cli/deployment.ts'

const PIN = 'ab'.repeat(32)
const verification = (baseUrl: string, pin?: string) =>
  verificationFor(baseUrl, { environment: { SVC_SIM_ROOT_SHA256: pin } })

it('requires Intel’s root of a host that is not this machine', () => {
  expect(verification('https://origin.example')).toEqual({ verify: 'once' })
  expect(verification('https://origin.example', '')).toEqual({ verify: 'once' })
})

it('accepts exactly the simulated root of a staging deployment that is pinned', () => {
  expect(verification('https://origin.staging.example', PIN)).toEqual({
    verify: 'once',
    policy: { root: { kind: 'simulated', spkiSha256: PIN } },
  })
})

it.each(['any', '*', PIN.toUpperCase(), PIN.slice(1)])('rejects the pin %j', (pin) => {
  expect(() => verification('https://origin.example', pin)).toThrow(/SVC_SIM_ROOT_SHA256: expected/)
})

it('does not verify a local stack', () => {
  expect(verification('https://localhost:8788')).toEqual({ verify: 'never' })
})
