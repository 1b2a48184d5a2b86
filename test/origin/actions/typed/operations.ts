/** Calls each function of `Svc.Actions` with everything that its declaration accepts. */
import { defineAction } from '@svc-run/cli/action'

type Params = { part: 'signing' | 'keys'; pkpId: string; to: string; cid: string }

export default defineAction(async ({ part, ...params }: Params) =>
  part === 'signing' ? signing(params) : keys(params),
)

async function signing({ pkpId, to }: Omit<Params, 'part'>) {
  const types = { Mail: [{ name: 'to', type: 'address' }] }
  const sent = await Svc.Actions.sendTransaction({
    pkpId,
    chain: 'base',
    to,
    data: new Uint8Array([1]),
    value: ethers.utils.parseEther('1'),
    gas: 50_000n,
    maxFeePerGas: '0x77359400',
    speed: 'cheap',
    errors: ['error Paused(uint256 until)'],
    idempotencyKey: 'once',
  })
  const { id, state } = await Svc.Actions.transaction({ id: sent.id })
  return {
    text: await Svc.Actions.signMessage({ pkpId, message: 'a' }),
    bytes: await Svc.Actions.signMessage({ pkpId, message: [97] }),
    typedData: await Svc.Actions.signTypedData({
      pkpId,
      domain: {
        name: 'a',
        version: '1',
        chainId: 1n,
        verifyingContract: to,
        salt: new Uint8Array(32),
      },
      types,
      value: { to },
    }),
    legacy: await Svc.Actions.signTransaction({
      pkpId,
      transaction: {
        chainId: 1,
        nonce: 0n,
        to: null,
        data: '0x00',
        gasLimit: 90_000,
        gasPrice: '1',
      },
    }),
    feeMarket: await Svc.Actions.signTransaction({
      pkpId,
      transaction: {
        type: 2,
        chainId: 1,
        nonce: 0,
        to,
        from: Svc.Actions.wallet({ pkpId }).address,
        value: ethers.constants.WeiPerEther,
        gasLimit: 21_000,
        maxFeePerGas: 2n,
        maxPriorityFeePerGas: 1,
        accessList: [{ address: to, storageKeys: [ethers.constants.HashZero] }],
      },
    }),
    digest: await Svc.Actions.signDigest({ pkpId, digest: new Uint8Array(32) }),
    transaction: { id, state, isSame: id === sent.id },
    signer: await Svc.Actions.wallet({ pkpId })._signTypedData({ name: 'a' }, types, { to }),
  }
}

async function keys({ pkpId, cid }: Omit<Params, 'part'>) {
  const ciphertext = await Svc.Actions.encrypt({ pkpId, message: 'secret' })
  const own = await Svc.Actions.getSvcActionPrivateKey()
  return {
    key: new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).address,
    wallet: await Svc.Actions.wallet({ pkpId }).getAddress(),
    message: await Svc.Actions.decrypt({ pkpId, ciphertext }),
    own: ethers.utils.computeAddress(own),
    public: ethers.utils.computeAddress(await Svc.Actions.getSvcActionPublicKey({ ipfsId: cid })),
    address: await Svc.Actions.getSvcActionWalletAddress({ ipfsId: cid }),
  }
}
