import { isAddress, verifyMessage } from 'ethers'

import { ECHO, SIGN } from '../action-sources.ts'
import { cidHash, cidOf } from '../cid.ts'
import { ALL_WALLETS } from '../core.ts'
import { hold, refusal, same, sameAddress } from '../hold.ts'
import { patiently } from '../wait.ts'
import { executeOnly, type Journey } from '../world.ts'

const KNOWN_CIDS: [string, string][] = [
  ['', 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH'],
  ['hello world', 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'],
  ['hello world\n', 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o'],
]

export const accounts: Journey[] = [
  {
    name: 'a new account shows a base64 key and an EVM address',
    needs: ['accounts'],
    async run(_client, world) {
      const { apiKey, walletAddress } = await world.account()
      hold(/^[A-Za-z0-9+/]{20,}={0,2}$/.test(apiKey), 'api_key is base64')
      hold(isAddress(walletAddress), 'wallet_address is an address')
    },
  },
  {
    name: 'an account may be given an e-mail address and an empty description',
    needs: ['accounts'],
    async run({ core }) {
      const email = 'someone@example.com'
      await core.newAccount({ name: 'with e-mail', description: '', email })
    },
  },
  {
    name: 'account_exists knows the new key, and not one that was made up',
    needs: ['accounts'],
    async run({ core }, world) {
      const { apiKey } = await world.account()
      same(await core.accountExists(apiKey), true, 'the account exists')
      const madeUp = Buffer.alloc(32, 7).toString('base64')
      same(await core.accountExists(madeUp), false, 'no such account')
    },
  },
  {
    name: 'the chain configuration names contract and chain and keeps the RPC address to itself',
    needs: ['chain-config'],
    async run({ core }) {
      const { contractAddress, body } = await core.getNodeChainConfig()
      hold(isAddress(contractAddress), 'contract_address is an address')
      const urls = Object.values(body).filter((value) => /^(https?|wss?):/.test(String(value)))
      same(urls, [], 'no URL in it')
    },
  },
  {
    name: 'each wallet is a new EVM address',
    needs: ['accounts', 'wallets'],
    async run({ core }, world) {
      const first = await world.wallet()
      const second = await core.createWallet((await world.account()).apiKey)
      hold(isAddress(first.address) && isAddress(second.address), 'wallet_address is an address')
      hold(first.address !== second.address, 'two wallets, two addresses')
    },
  },
  {
    name: 'the CIDs of known texts are those of IPFS',
    needs: ['cids'],
    async run({ core }) {
      for (const [source, cid] of KNOWN_CIDS) {
        same(await core.getSvcActionIpfsId(source), cid, `CID of ${JSON.stringify(source)}`)
      }
    },
  },
  {
    name: 'a source of several chunks gets the CID that a client computes, in UTF-8',
    needs: ['cids'],
    async run({ core }) {
      for (const length of [262_143, 262_144, 262_145, 1_000_000]) {
        const source = `// é\n${'x'.repeat(length - 6)}`
        same(Buffer.byteLength(source), length, 'the length in bytes')
        same(await core.getSvcActionIpfsId(source), cidOf(source), `CID of ${length} bytes`)
      }
    },
  },
  {
    name: 'one changed byte is another CID',
    needs: ['cids'],
    async run({ core }) {
      const cid = await core.getSvcActionIpfsId(ECHO)
      same(cid, cidOf(ECHO), 'the CID of the source')
      hold(cid !== (await core.getSvcActionIpfsId(`${ECHO} `)), 'a CID of its own')
    },
  },
  {
    name: 'a group is created with permitted wallets and actions, and has an integer id',
    needs: ['accounts', 'wallets', 'groups'],
    async run(_client, world) {
      const id = await world.signingGroup()
      hold(Number.isSafeInteger(id) && id !== 0, 'an id that is not the wildcard')
    },
  },
  {
    name: 'a group needs no more than a name',
    needs: ['accounts', 'groups'],
    async run({ core }, world) {
      const { apiKey } = await world.account()
      const first = await core.addGroup(apiKey, { name: 'bare' })
      hold(first !== (await core.addGroup(apiKey, { name: 'bare' })), 'ids differ')
    },
  },
  {
    name: 'an execute-only usage key is shown when it is made, and differs from the account key',
    needs: ['accounts', 'wallets', 'groups', 'usage-keys'],
    async run(_client, world) {
      const key = await world.executeOnlyKey([await world.signingGroup()])
      hold(key !== (await world.account()).apiKey, 'a key of its own')
    },
  },
  {
    name: 'an execute-only usage key may not change anything',
    needs: ['accounts', 'wallets', 'groups', 'usage-keys', 'actions'],
    async run({ core }, world) {
      const key = await world.signingKey()
      const clause = 'only what its fields grant'
      await refusal(() => core.createWallet(key), clause, 403)
      await refusal(() => core.addGroup(key, { name: 'mine' }), clause, 403)
      await refusal(() => core.addUsageApiKey(key, executeOnly([0])), clause, 403)
    },
  },
  {
    name: 'an execute-only usage key may not change a group',
    needs: ['accounts', 'wallets', 'groups', 'usage-keys', 'actions', 'group-changes'],
    async run({ core }, world) {
      const key = await world.signingKey()
      const group = await world.signingGroup()
      const clause = 'only in groups that it lists'
      await refusal(() => core.addPkpToGroup(key, ALL_WALLETS, group), clause, 403)
      await refusal(() => core.addActionToGroup(key, cidOf(ECHO), group), clause, 403)
      await refusal(() => core.updateGroup(key, group, { name: 'renamed' }), clause, 403)
      await refusal(() => core.removeGroup(key, group), clause, 403)
    },
  },
  {
    name: 'each right of a usage key lets it do that, in its groups',
    needs: ['accounts', 'wallets', 'groups', 'usage-keys', 'group-changes'],
    async run({ core }, world) {
      const { apiKey } = await world.account()
      const { address, pkpId } = await world.wallet()
      const [inside, outside] = [
        await core.addGroup(apiKey, { name: 'inside' }),
        await core.addGroup(apiKey, { name: 'outside' }),
      ]
      const key = await core.addUsageApiKey(apiKey, {
        ...executeOnly([]),
        can_create_groups: true,
        can_create_pkps: true,
        manage_ipfs_ids_in_groups: [inside],
        add_pkp_to_groups: [inside],
      })
      await patiently(() => core.createWallet(key))
      await core.addGroup(key, { name: 'made by a usage key' })
      await core.addPkpToGroup(key, pkpId ?? address, inside)
      await core.addActionToGroup(key, cidOf(ECHO), inside)
      const clause = 'outside its groups'
      await refusal(() => core.addPkpToGroup(key, pkpId ?? address, outside), clause, 403)
      await refusal(() => core.addActionToGroup(key, cidOf(ECHO), outside), clause, 403)
    },
  },
  {
    name: 'keys are listed with their scopes and never shown again',
    needs: ['accounts', 'wallets', 'groups', 'usage-keys', 'key-management'],
    async run({ core }, world) {
      const group = await world.signingGroup()
      const key = await world.executeOnlyKey([group])
      const rows = await core.listApiKeys((await world.account()).apiKey)
      hold(!JSON.stringify(rows).includes(key), 'the key itself is not in the list')
      const scopes = rows.map((row) => JSON.stringify(row['execute_in_groups']))
      hold(scopes.includes(JSON.stringify([group])), 'the scopes are in the list')
    },
  },
  {
    name: 'a removed usage key is unknown',
    needs: ['accounts', 'wallets', 'groups', 'usage-keys', 'actions', 'key-management'],
    async run({ core }, world) {
      const key = await world.executeOnlyKey([await world.signingGroup()])
      await core.removeUsageApiKey((await world.account()).apiKey, key)
      await refusal(() => core.svcAction(key, ECHO), 'a removed key is 401', 401)
    },
  },
  {
    name: 'wallet and action are added to a group by id and raw CID, and the group then permits them',
    needs: ['accounts', 'wallets', 'groups', 'usage-keys', 'actions', 'group-changes'],
    async run({ core }, world) {
      const { apiKey } = await world.account()
      const group = await core.addGroup(apiKey, { name: 'filled later' })
      const wallet = await world.wallet()
      await core.addPkpToGroup(apiKey, wallet.pkpId ?? wallet.address, group)
      await core.addActionToGroup(apiKey, cidOf(SIGN), group)
      const key = await world.executeOnlyKey([group])
      const params = { pkpId: wallet.address, message: 'filled later' }
      const signature = await patiently(() => core.svcAction(key, SIGN, params))
      const signer = verifyMessage(params.message, String(signature))
      sameAddress(signer, wallet.address, 'signed by the wallet')
    },
  },
  {
    name: 'an update replaces what a group permits, and a removed group permits nothing',
    needs: ['accounts', 'groups', 'usage-keys', 'actions', 'group-changes'],
    async run({ core }, world) {
      const { apiKey } = await world.account()
      const group = await core.addGroup(apiKey, { name: 'to be changed' })
      const key = await world.executeOnlyKey([group])
      await refusal(() => core.svcAction(key, ECHO), 'not in the group yet', 401, 403)
      await core.updateGroup(apiKey, group, {
        name: 'changed',
        description: 'permits one action',
        cid_hashes_permitted: [cidHash(cidOf(ECHO))],
      })
      await patiently(() => core.svcAction(key, ECHO))
      await core.removeGroup(apiKey, group)
      await refusal(() => core.svcAction(key, ECHO), 'its group is gone', 403)
    },
  },
  {
    name: 'the API describes itself',
    needs: ['openapi'],
    async run({ core }) {
      hold(/swagger|openapi/i.test(await core.swaggerUi()), 'an OpenAPI description')
    },
  },
]
