/* Calls ethers and returns the outcomes as data. Evaluated in the sandbox, and in Node with the original ethers. */

/*
 * @param calls [name, ...arguments][]
 * @returns for each {value} or {error}
 */
// oxlint-disable-next-line no-unused-vars -- the evaluating code calls it
async function perform(ethers, calls) {
  const { utils, BigNumber, FixedNumber, Wallet } = ethers

  /* Values that JSON cannot represent are written as {$kind: text}. */
  function revived(value) {
    if (Array.isArray(value)) return value.map(revived)
    if (value === null || typeof value !== 'object') return value
    if ('$bytes' in value) return Uint8Array.from(value.$bytes)
    if ('$big' in value) return BigNumber.from(value.$big)
    if ('$bigint' in value) return BigInt(value.$bigint)
    if ('$number' in value) return Number(value.$number)
    if ('$undefined' in value) return undefined
    if ('$hexable' in value) return { toHexString: () => value.$hexable }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, revived(item)]))
  }

  function written(value, depth = 0) {
    if (depth > 6) return '…'
    if (value === undefined) return { $undefined: true }
    if (typeof value === 'bigint') return { $bigint: String(value) }
    if (typeof value === 'number' && !Number.isFinite(value)) return { $number: String(value) }
    if (typeof value === 'function') return { $function: value.name }
    if (value === null || typeof value !== 'object') return value
    if (value instanceof Uint8Array) return { $bytes: [...value] }
    if (value instanceof Error) return failure(value, depth + 1)
    /* Own keys in order, because arrays with named items have named keys too. */
    const own = Object.keys(value).map((key) => [key, member(value, key, depth)])
    const kind = value.constructor && value.constructor.name
    return { $is: kind, $own: own, $frozen: Object.isFrozen(value) }
  }

  function member(value, key, depth) {
    try {
      return written(value[key], depth + 1)
    } catch (error) {
      return { $thrown: failure(error, depth + 1) }
    }
  }

  /* Engines phrase their own errors differently, but errors of ethers and its packages must be equal. */
  function failure(error, depth = 0) {
    const native =
      error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError
    const own = Object.keys(error)
      .filter((key) => key !== 'error')
      .map((key) => [key, written(error[key], depth + 1)])
    return { $error: error.name, message: native ? '' : error.message, own }
  }

  const wallet = (key) => new Wallet(key)
  const OPERATIONS = {
    util: (name, ...args) => utils[name](...args),
    wallet: (key) => {
      const { address, publicKey, privateKey } = wallet(key)
      return { address, publicKey, privateKey }
    },
    signMessage: (key, message) => wallet(key).signMessage(message),
    signTransaction: (key, transaction) => wallet(key).signTransaction(transaction),
    signTypedData: (key, ...data) => wallet(key)._signTypedData(...data),
    signAndVerify: async (key, message) =>
      utils.verifyMessage(message, await wallet(key).signMessage(message)),
    signDigest: (key, digest) => new utils.SigningKey(key).signDigest(digest),
    signAndSplit: (key, digest) =>
      utils.splitSignature(utils.joinSignature(new utils.SigningKey(key).signDigest(digest))),
    signingKey: (key) => new utils.SigningKey(key),
    sharedSecret: (key, other) => new utils.SigningKey(key).computeSharedSecret(other),
    addPoint: (key, other) => new utils.SigningKey(key)._addPoint(other),
    typedData: (name, ...args) => utils._TypedDataEncoder[name](...args),
    big: (value) => BigNumber.from(value),
    bigCall: (value, method, ...args) => BigNumber.from(value)[method](...args),
    fixedCall: (value, format, method, ...args) =>
      FixedNumber.from(value, format)[method](
        ...(method.endsWith('Unsafe') ? args.map((arg) => FixedNumber.from(arg, format)) : args),
      ),
    encode: (types, values) => utils.defaultAbiCoder.encode(types, values),
    decode: (types, data) => utils.defaultAbiCoder.decode(types, data),
    encodeAndDecode: (types, values) =>
      utils.defaultAbiCoder.decode(types, utils.defaultAbiCoder.encode(types, values)),
    callData: (abi, name, args) => new utils.Interface(abi).encodeFunctionData(name, args),
    fragment: (text) => utils.Fragment.from(text).format('full'),
    rlp: (value) => utils.RLP.encode(value),
    rlpDecode: (data) => utils.RLP.decode(data),
    signedAndParsed: async (key, transaction) =>
      utils.parseTransaction(await wallet(key).signTransaction(transaction)),
    base58: (data) => utils.base58.encode(data),
    base58Decode: (text) => utils.base58.decode(text),
    base64: (data) => utils.base64.encode(data),
    hdNode: (seed, path) => utils.HDNode.fromSeed(seed).derivePath(path),
    hdPublic: (seed, path) => utils.HDNode.fromSeed(seed).neuter().derivePath(path).extendedKey,
    mnemonic: (phrase, password) => utils.mnemonicToSeed(phrase, password),
    encrypt: async (key, password, options) => wallet(key).encrypt(password, options),
  }

  const outcomes = []
  for (const [name, ...args] of calls) {
    try {
      outcomes.push({ value: written(await OPERATIONS[name](...revived(args))) })
    } catch (error) {
      outcomes.push({ error: failure(error) })
    }
  }
  return outcomes
}
