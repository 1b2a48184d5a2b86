/** Events of well-known contracts, as they declare them; those alone that index some of their arguments and not all. */
export const KNOWN_DECLARATIONS = `
# ERC-20, ERC-721
Transfer(address indexed from, address indexed to, uint256 value)
Approval(address indexed owner, address indexed spender, uint256 value)
`
