import { X509Certificate, createHash } from 'node:crypto'

import { Contract, JsonRpcProvider } from 'ethers'

import { filledEventLog } from '../event-log.ts'
import { hold, same } from '../hold.ts'
import { isFields } from '../http.ts'
import type { Journey } from '../world.ts'

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export const attestation: Journey[] = [
  {
    name: 'the quote is hex, with an event log whose runtime digests can be filled in',
    needs: ['attestation'],
    async run({ core }) {
      const { quote, eventLog, vmConfig } = await core.attestation()
      hold(/^(0x)?([0-9a-f]{2})+$/i.test(quote), 'quote is hex')
      hold(vmConfig !== undefined, 'vm_config')
      const events = filledEventLog(eventLog)
      hold(events.length > 0, 'events')
      hold(
        events.every(({ digest }) => /^[0-9a-f]{96}$/i.test(digest)),
        'a SHA-384 each',
      )
    },
  },
  {
    name: 'the compose hash covers the compose text, whose images are pinned',
    needs: ['attestation'],
    async run({ core }) {
      const { appCompose, composeHash } = await core.info()
      same(sha256(appCompose), composeHash.replace(/^0x/, ''), 'compose_hash')
      const compose: unknown = JSON.parse(appCompose)
      hold(isFields(compose), 'app_compose is an object in JSON')
      const text = String(compose['docker_compose_file'])
      const images = text.match(/^\s*(-\s*)?image:.*$/gm) ?? []
      hold(images.length > 0, 'images are named')
      const loose = images.filter((line) => !/@sha256:[0-9a-f]{64}/.test(line))
      same(loose, [], 'every image is pinned by digest')
    },
  },
  {
    name: 'the quote of the evidence covers the checksums of its files',
    needs: ['attestation'],
    async run({ core }) {
      const sums = await core.evidence('sha256sum.txt')
      const { body } = await core.evidence('quote.json')
      const reportData = isFields(body) ? String(body['report_data']) : ''
      hold(/^[0-9a-f]{128}$/i.test(reportData), 'report_data is 128 hex characters')
      same(reportData.slice(0, 64).toLowerCase(), sha256(sums.text), 'report_data')
      const certificate = await core.evidence(await certificateName(core))
      hold(sums.text.includes(sha256(certificate.text)), 'the certificate is among them')
    },
  },
  {
    name: 'the certificate of the handshake is the attested one',
    needs: ['attestation'],
    tools: ['servedCertificate'],
    async run({ core }, world) {
      const { text } = await core.evidence(await certificateName(core))
      const served = await world.tools.servedCertificate!()
      same(sha256(served), sha256(new X509Certificate(text).raw), 'SHA-256 of the DER')
    },
  },
  {
    name: 'the CAA records bind the ACME account of the evidence',
    needs: ['attestation'],
    tools: ['caaRecords'],
    async run({ core }, world) {
      const { body } = await core.evidence('acme-account.json')
      const uri = isFields(body) ? (body['uri'] ?? body['account_uri']) : undefined
      hold(typeof uri === 'string', 'uri or account_uri')
      const records = await world.tools.caaRecords!()
      const bound = records.map((record) => /accounturi=([^;"\s]+)/.exec(record)?.[1])
      hold(bound.includes(uri), 'one accounturi matches')
    },
  },
  {
    name: 'the governance contract has whitelisted the compose hash',
    needs: ['attestation'],
    tools: ['accountChain'],
    async run({ core }, world) {
      const { appId, composeHash } = await core.info()
      const abi = ['function allowedComposeHashes(bytes32) view returns (bool)']
      const provider = new JsonRpcProvider(world.tools.accountChain!.rpcUrl)
      const contract = new Contract(`0x${appId.replace(/^0x/, '')}`, abi, provider)
      const hash = `0x${composeHash.replace(/^0x/, '')}`
      same(await contract.getFunction('allowedComposeHashes')(hash), true, 'whitelisted')
    },
  },
]

async function certificateName(core: { evidence(file: string): Promise<{ text: string }> }) {
  const name = /cert-[^"'<>\s/]+\.pem/.exec((await core.evidence('')).text)?.[0]
  hold(name, 'the listing links to the certificate')
  return name
}
