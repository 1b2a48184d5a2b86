import { Contract } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountConfigAbi } from '../../../shared/abi/account-config.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

describe('/info', () => {
  let origin: TestOrigin
  beforeAll(async () => {
    origin = await startOrigin()
  })
  afterAll(() => origin?.close())

  it('names the version and the commit of the software, beside the measured application', async () => {
    const { body } = await origin.call('/info')
    expect(body).toMatchObject(origin.services.build)
    expect(body.compose_hash).toMatch(/^[0-9a-f]{64}$/)
  })

  it('lists the wallets that a new deployment has to fund and admit', async () => {
    const { api_payers: payers } = (await origin.call('/info')).body as { api_payers: string[] }
    expect(payers).toHaveLength(1 + origin.services.settings.SVC_PAYERS)
    expect(new Set(payers).size).toBe(payers.length)
    const { chain } = origin.services
    const contract = new Contract(chain.contractAddress, accountConfigAbi, chain.provider)
    // The contract in these tests has admitted the two that write.
    for (const payer of payers.slice(1, 3))
      expect(await contract.getFunction('isApiPayer')(payer)).toBe(true)
  })
})
