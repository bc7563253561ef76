#include "prove/primes.h"

#include "prove/field.h"

static uint64_t power(uint64_t base, uint32_t exponent, uint32_t modulus) {
    uint64_t result = 1;
    for (; exponent; exponent >>= 1, base = base * base % modulus)
        if (exponent & 1) result = result * base % modulus;
    return result;
}

/* Miller and Rabin: is n, odd, prime as far as this base tells? */
static bool passes(uint32_t n, uint32_t base) {
    uint32_t odd = n - 1, twos = 0;
    for (; odd % 2 == 0; odd /= 2) twos++;
    uint64_t x = power(base, odd, n);
    if (x == 1 || x == n - 1) return true;
    for (uint32_t i = 1; i < twos; i++) {
        x = x * x % n;
        if (x == n - 1) return true;
    }
    return false;
}

/* The least number that passes for 2, 3, 5 and 7 and is no prime is 3215031751. */
bool vt_is_prime(uint32_t n) {
    static const uint32_t bases[] = {2, 3, 5, 7};
    if (n >= 3215031751u) return false;
    for (int i = 0; i < 4; i++) {
        if (n % bases[i] == 0) return n == bases[i];
        if (n > bases[i] && !passes(n, bases[i])) return false;
    }
    return n > 1;
}

static uint32_t draw(uint64_t *key) {
    uint32_t n;
    do {
        *key = vt_mix(*key, 0x7072696D6573ull);
        n = VT_PRIME_MIN + (uint32_t)(*key >> 38);
    } while (!vt_is_prime(n));
    return n;
}

vt_primes vt_primes_draw(uint64_t key) {
    vt_primes m;
    m.p[0] = draw(&key);
    do m.p[1] = draw(&key);
    while (m.p[1] == m.p[0]);
    for (int i = 0; i < 2; i++) m.inverse[i] = UINT64_MAX / m.p[i]; /* a prime does not divide 2^64 */
    return m;
}
