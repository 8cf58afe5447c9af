"""What the studio and the translation server share: hosts, headers, bodies, sockets, and clients that leave."""
