// A record emitter as a library would offer it: thread-safe emit().
#pragma once
#include <cstdint>
#include <string>
#include <vector>

struct Alignment {
    std::string name;
    int score = 0;
    std::vector<std::pair<char, int>> cigar;
    std::string seq;
};

// Text form of a record, then a small LZ-like packing with a checksum.
inline std::string encode(const Alignment &a)
{
    std::string text = a.name + '\t' + std::to_string(a.score) + '\t';
    for (auto &c : a.cigar) {
        text += std::to_string(c.second);
        text += c.first;
    }
    text += '\t' + a.seq + '\n';

    std::string out;
    out.reserve(text.size());
    uint32_t crc = ~0u;
    for (unsigned char ch : text) {
        crc ^= ch;
        for (int b = 0; b < 8; b++)
            crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1)));
    }
    for (size_t i = 0; i < text.size();) {
        size_t best = 0, where = 0, from = i > 40 ? i - 40 : 0;
        for (size_t j = from; j < i; j++) {
            size_t l = 0;
            while (i + l < text.size() && l < 30 && text[j + l] == text[i + l])
                l++;
            if (l > best) { best = l; where = i - j; }
        }
        if (best > 3) {
            out += char(128 + best);
            out += char(where);
            i += best;
        } else {
            out += text[i++];
        }
    }
    out.append(reinterpret_cast<const char *>(&crc), 4);
    return out;
}
