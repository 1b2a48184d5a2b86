/** Sales of tokens: Seaport and Wyvern. */
export const MARKETPLACE_EVENTS = `
OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, (uint8,address,uint256,uint256)[] offer, (uint8,address,uint256,uint256,address)[] consideration)
OrderCancelled(bytes32 orderHash, address indexed offerer, address indexed zone)
CounterIncremented(uint256 newCounter, address indexed offerer)
OrdersMatched(bytes32 buyHash, bytes32 sellHash, address indexed maker, address indexed taker, uint256 price, bytes32 indexed metadata)
`
