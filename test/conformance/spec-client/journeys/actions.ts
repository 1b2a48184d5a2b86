import { computeAddress, verifyMessage } from 'ethers'

import * as sources from '../action-sources.ts'
import { cidHash, cidOf } from '../cid.ts'
import { ALL_WALLETS } from '../core.ts'
import { derivedAction } from '../derived-action.ts'
import { hold, refusal, same, sameAddress } from '../hold.ts'
import { fieldsOf, isFields } from '../http.ts'
import { patiently } from '../wait.ts'
import type { Journey } from '../world.ts'

const { ECHO, SIGN } = sources
const RUN: Journey['needs'] = ['accounts', 'groups', 'usage-keys', 'actions']
const SIGNED: Journey['needs'] = [...RUN, 'wallets']

export const actions: Journey[] = [
  {
    name: 'a usage key runs its action, which signs as the wallet',
    needs: SIGNED,
    async run({ core }, world) {
      const key = await world.signingKey()
      const { address } = await world.wallet()
      const params = { pkpId: address, message: 'signed inside' }
      const signature = await core.svcAction(key, SIGN, params)
      const signer = verifyMessage(params.message, String(signature))
      sameAddress(signer, address, 'the wallet signed')
    },
  },
  {
    name: 'the account key runs an action that its groups permit',
    needs: SIGNED,
    async run({ core }, world) {
      await world.signingGroup()
      const { apiKey } = await world.account()
      const { address } = await world.wallet()
      const params = { pkpId: address, message: 'by the account' }
      const signature = await patiently(() => core.svcAction(apiKey, SIGN, params))
      const signer = verifyMessage(params.message, String(signature))
      sameAddress(signer, address, 'the wallet signed')
    },
  },
  {
    name: 'a key is accepted as a bearer token too',
    needs: RUN,
    async run({ core }, world) {
      const body = JSON.stringify({ code: ECHO, js_params: { a: 1 } })
      const headers = { authorization: `Bearer ${await world.anyActionKey()}` }
      const answer = await core.raw('POST', '/core/v1/svc_action', headers, body)
      same(fieldsOf(answer.body)['response'], { a: 1 }, 'the response')
    },
  },
  {
    name: 'js_params reach main as they were sent',
    needs: RUN,
    async run({ core }, world) {
      const params = { text: 'grüezi', list: [1, null, { deep: true }], empty: {} }
      same(await core.svcAction(await world.anyActionKey(), ECHO, params), params, 'params')
    },
  },
  {
    name: 'actions have ethers v5',
    needs: RUN,
    async run({ core }, world) {
      const version = await core.svcAction(await world.anyActionKey(), sources.ETHERS_VERSION)
      hold(/\b5\.\d+/.test(String(version)), 'the version is a 5')
    },
  },
  {
    name: 'an action outside the groups of its key is 403, and one more byte is another action',
    needs: SIGNED,
    async run({ core }, world) {
      const key = await world.signingKey()
      await refusal(() => core.svcAction(key, ECHO), 'not in its group', 403)
      const { address } = await world.wallet()
      const params = { pkpId: address, message: 'm' }
      await refusal(() => core.svcAction(key, `${SIGN} `, params), 'another CID', 403)
    },
  },
  {
    name: 'a wallet that the group does not permit keeps its key',
    needs: SIGNED,
    async run({ core }, world) {
      const { apiKey } = await world.account()
      const { address } = await core.createWallet(apiKey)
      const group = await core.addGroup(apiKey, {
        name: 'no wallet',
        pkp_ids_permitted: [],
        cid_hashes_permitted: [cidHash(cidOf(SIGN))],
      })
      const key = await world.executeOnlyKey([group])
      const params = { pkpId: address, message: 'm' }
      await refusal(() => core.svcAction(key, SIGN, params), 'no permitted wallet')
    },
  },
  {
    name: 'the zero id permits every wallet of the account, and none of another',
    needs: SIGNED,
    async run({ core }, world) {
      const { apiKey } = await world.account()
      const group = await core.addGroup(apiKey, {
        name: 'every wallet',
        pkp_ids_permitted: [ALL_WALLETS],
        cid_hashes_permitted: [cidHash(cidOf(SIGN))],
      })
      const key = await world.executeOnlyKey([group])
      const { address } = await core.createWallet(apiKey)
      const params = { pkpId: address, message: 'm' }
      await patiently(() => core.svcAction(key, SIGN, params))
      const stranger = await world.newAccount('owns another wallet')
      const theirs = await core.createWallet(stranger.apiKey)
      const foreign = { pkpId: theirs.address, message: 'm' }
      await refusal(() => core.svcAction(key, SIGN, foreign), 'a wallet of another account')
    },
  },
  {
    name: 'a key with execute_in_groups [0] runs what any group permits',
    needs: SIGNED,
    async run({ core }, world) {
      await world.signingGroup()
      const key = await world.executeOnlyKey([0])
      const params = { pkpId: (await world.wallet()).address, message: 'm' }
      await patiently(() => core.svcAction(key, SIGN, params))
    },
  },
  {
    name: 'an action signs with a key of its own, which its CID alone decides',
    needs: [...RUN, 'action-keys'],
    async run({ core }, world) {
      const key = await world.anyActionKey()
      const message = 'from this very source'
      const first = ownKey(await core.svcAction(key, sources.SIGN_AS_ACTION, { message }))
      const again = ownKey(await core.svcAction(key, sources.SIGN_AS_ACTION, { message }))
      const other = ownKey(await core.svcAction(key, `${sources.SIGN_AS_ACTION} `, { message }))
      same(again.address, first.address, 'the same source, the same key')
      hold(other.address !== first.address, 'another source, another key')
      const signer = verifyMessage(message, first.signature)
      sameAddress(signer, first.address, 'its own key signed')

      const params = { ipfsId: cidOf(sources.SIGN_AS_ACTION) }
      const seen = await core.svcAction(key, sources.LOOK_UP_ACTION, params)
      hold(isFields(seen), 'both look-ups answer')
      sameAddress(String(seen['address']), first.address, 'the address, looked up by CID')
      const publicKey = String(seen['publicKey'])
      const prefixed = publicKey.startsWith('0x') ? publicKey : `0x${publicKey}`
      sameAddress(computeAddress(prefixed), first.address, 'the public key, looked up by CID')
    },
  },
  {
    name: 'a derived action is computed by the client, enrolled by its raw CID, and run',
    needs: [...RUN, 'cids', 'group-changes'],
    async run({ core }, world) {
      const source = derivedAction(sources.TEMPLATE, { names: ['b', 'a'], limit: 3 })
      hold(source.includes('\nconst MANIFEST={"limit":3,"names":["b","a"]};\n'), 'canonical JSON')
      const cid = cidOf(source)
      same(await core.getSvcActionIpfsId(source), cid, 'the CID on both sides')
      const { apiKey } = await world.account()
      const group = await core.addGroup(apiKey, { name: 'derived' })
      await core.addActionToGroup(apiKey, cid, group)
      const key = await world.executeOnlyKey([group])
      const response = await patiently(() => core.svcAction(key, source, { given: 'x' }))
      same(response, { limit: 3, names: ['b', 'a'], given: 'x' }, 'manifest and params')
    },
  },
  {
    name: 'ten key operations are let through, and the eleventh ends the run',
    needs: [...RUN, 'action-keys', 'execution-limits'],
    async run({ core }, world) {
      const key = await world.anyActionKey()
      const params = { ipfsId: cidOf(ECHO), count: 10 }
      same(await core.svcAction(key, sources.MANY_LOOK_UPS, params), 10, 'ten')
      const more = { ...params, count: 11 }
      await refusal(() => core.svcAction(key, sources.MANY_LOOK_UPS, more), 'eleven')
    },
  },
  {
    name: 'fifty outbound requests are let through, one more or an answer above 1 MB is not',
    needs: [...RUN, 'execution-limits'],
    tools: ['outbound'],
    seconds: 120,
    async run({ core }, world) {
      const key = await world.anyActionKey()
      const { small, large } = world.tools.outbound!
      const source = sources.MANY_REQUESTS
      same(await core.svcAction(key, source, { url: small, count: 50 }), 50, 'fifty')
      const more = { url: small, count: 51 }
      await refusal(() => core.svcAction(key, source, more), 'fifty-one')
      const big = { url: large, count: 1 }
      await refusal(() => core.svcAction(key, source, big), 'above 1 MB')
    },
  },
]

function ownKey(response: unknown): { address: string; signature: string } {
  hold(isFields(response), 'the action answers an object')
  return { address: String(response['address']), signature: String(response['signature']) }
}
