/*
 * Svc.Actions.wallet: a signer of ethers v5 whose signatures come from the process that holds the keys. The class is part
 * of the template, so an action that does not use it pays nothing for it.
 */
export default function wallet(_host, base, { ethers, svc }) {
  const { toLowerCase, slice, isArray } = base
  const { Actions } = svc
  const { Signer, providers, utils, version } = ethers
  const { Provider } = providers
  const { Logger, _TypedDataEncoder, accessListify, defineReadOnly, getAddress } = utils
  const { isHexString, resolveProperties } = utils
  const { signMessage, signTransaction, signTypedData } = Actions
  const logger = new Logger(version)

  class ActionWallet extends Signer {
    /* `id` is the wallet's pkpId, and `address` its EIP-55 address. */
    constructor(id, address, provider) {
      super()
      if (provider && !Provider.isProvider(provider)) {
        logger.throwArgumentError('invalid provider', 'provider', provider)
      }
      defineReadOnly(this, '_pkpId', id)
      defineReadOnly(this, 'address', address)
      defineReadOnly(this, 'provider', provider || null)
    }
    async getAddress() {
      return this.address
    }
    connect(provider) {
      return new ActionWallet(this._pkpId, this.address, provider)
    }
    async signMessage(message) {
      return signMessage({ pkpId: this._pkpId, message })
    }
    async signTransaction(given) {
      const transaction = await resolveProperties(given)
      const { accessList } = transaction
      /* The order of an access list is part of the transaction, and only ethers v5 defines it for an object. */
      if (accessList && !isArray(accessList)) transaction.accessList = accessListify(accessList)
      return signTransaction({ pkpId: this._pkpId, transaction })
    }
    async _signTypedData(domain, types, value) {
      const { verifyingContract } = domain
      let hasNames = verifyingContract && !isHexString(verifyingContract, 20)
      /* Reduces structs to the fields of their types, like ethers. */
      const reduced = _TypedDataEncoder.from(types).visit(value, (type, item) => {
        if (type === 'address' && !isHexString(item, 20)) hasNames = true
        return item
      })
      const pkpId = this._pkpId
      if (!hasNames) return signTypedData({ pkpId, domain, types, value: reduced })
      const resolved = await _TypedDataEncoder.resolveNames(domain, types, value, (name) => {
        if (this.provider === null) {
          const operation = { operation: 'resolveName', value: name }
          const code = Logger.errors.UNSUPPORTED_OPERATION
          logger.throwError('cannot resolve ENS names without a provider', code, operation)
        }
        return this.provider.resolveName(name)
      })
      return signTypedData({ pkpId, domain: resolved.domain, types, value: resolved.value })
    }
  }

  return {
    /* Takes a wallet's address, or its 32-byte ID in hex. */
    open: (pkpId) =>
      new ActionWallet(pkpId, getAddress('0x' + toLowerCase(slice(pkpId, -40))), null),
  }
}
